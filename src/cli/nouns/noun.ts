import type { Contract } from '../../api/contract/contract.ts'
import type { StateName } from './states.ts'

/** An operation of the contract by its resource and name, such as `runs.list`. */
export type OperationName = { [R in keyof Contract]: `${R}.${keyof Contract[R] & string}` }[keyof Contract]

/** A column of the plain table: its title, and the path of its value in the record. */
export type NounColumn = { title: string; path: string; as?: 'time' | 'count' }

/** An option that names the parent of the records, with the path parameter that it sets. */
export type NounParent = {
  option: 'suite' | 'run' | 'trial' | 'journey' | 'wave' | 'scenario' | 'server' | 'image' | 'organization'
  parameter: string
  /** Noun whose list contains the name of the parent. */
  of?: string
  /** Without this option, the records of all parents are listed one after another. */
  optional?: true
}

/** A kind of record that `mcpdeck get` lists, with all data that the command needs. */
export type Noun = {
  name: string
  help: string
  /** The word for one record. */
  one: string
  list: OperationName
  /** Reads one record; if absent, it is looked up in the list. */
  read?: { operation: OperationName; parameter: string }
  /** Fields that only list items have, to be added when one record is printed. */
  onlyListed?: readonly string[]
  parents?: readonly NounParent[]
  /** Operations of older deployments that do not know the paths of `list` and `read`. */
  older?: Pick<Noun, 'list' | 'read'>
  /** Lists what comes before the last item of a full `list`, if the service is a local workspace. */
  earlier?: OperationName
  /** Another list whose items follow, such as findings of scenarios; its items also get a `source`. */
  further?: { list: OperationName; parent: NounParent; source: string }
  /** Added to each item as `source`. */
  source?: string
  /** How its state is derived, if the state is more than the `status` field. */
  state?: StateName
  /** Field with the name that people use. */
  calledBy?: string
  columns: readonly NounColumn[]
}
