import type { Contract } from '../../api/contract/contract.ts'
import type { StateName } from './states.ts'

/** An operation of the contract by its resource and name, such as `runs.list`. */
export type OperationName = { [R in keyof Contract]: `${R}.${keyof Contract[R] & string}` }[keyof Contract]

/** A column of the plain table: title, and where its value is in the record. */
export type NounColumn = { title: string; path: string; as?: 'time' | 'count' }

/** An option that names what the things belong to, with the path parameter that it fills. */
export type NounParent = {
  option: 'suite' | 'run' | 'trial' | 'journey' | 'wave' | 'scenario' | 'server' | 'image' | 'organization'
  parameter: string
  /** Noun whose list knows the parent by its name. */
  of?: string
  /** Without it, the things of all parents are listed one after another. */
  optional?: true
}

/** A kind of thing that `mcpdeck get` lists, with everything that the command derives its behaviour from. */
export type Noun = {
  name: string
  help: string
  /** One record of it in words. */
  one: string
  list: OperationName
  /** Reads one; without it, one is looked for in the list. */
  read?: { operation: OperationName; parameter: string }
  /** Fields that only the items of its list have, for whoever prints one. */
  onlyListed?: readonly string[]
  parents?: readonly NounParent[]
  /** What answers on older deployments, where the paths of `list` and `read` are not found. */
  older?: Pick<Noun, 'list' | 'read'>
  /** Goes on before the last item of a full `list`, where the service is a local workspace. */
  earlier?: OperationName
  /** Another list whose items follow, such as findings of scenarios; its items get `source` too. */
  further?: { list: OperationName; parent: NounParent; source: string }
  /** Added to each item as `source`. */
  source?: string
  /** How its state follows from its record, where that is more than the wire's `status`. */
  state?: StateName
  /** Field that people call it by. */
  calledBy?: string
  columns: readonly NounColumn[]
}
