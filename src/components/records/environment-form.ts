import { contract } from '../../api/contract/contract.ts'
import { contractFields } from './contract-form.ts'
import type { Client } from '../../api/contract/clients.ts'
import type { Environment } from '../../api/contract/environments.ts'
import { choiceField, type FormFieldSpec, type FormSpec, type FormValues } from '../../components/form/form-dialog.tsx'

const { create } = contract.environments
const NAME_NOTE = 'Must be unique in the project.'

/** Returns the form for a new environment, or for changing a saved one. */
export function environmentForm(record: Environment | undefined, clients: readonly Client[]): FormSpec {
  const options = clients.map(({ id, name, modelId }) => ({ value: id, label: name, detail: modelId ?? 'no model' }))
  const hostId = record?.hostId ?? options[0]?.value ?? ''
  const isGone = record?.hostId != null && !options.some(({ value }) => value === record.hostId)
  const fields: FormFieldSpec[] = [
    ...contractFields(create, record, { name: { note: NAME_NOTE }, description: { input: { kind: 'lines' } } }),
    choiceField(
      'hostId',
      'Client',
      isGone ? [{ value: hostId, label: 'a client that is gone' }, ...options] : options,
      { required: true, initial: hostId, note: 'Its servers and settings are what a run uses.' },
    ),
    ...contractFields(create, record, {
      modelId: { label: 'Model', note: 'The id of a model. Left empty, the model of the client is used.' },
    }),
  ]
  return record
    ? { title: `Edit ${environmentName(record)}`, fields, act: 'Save the changes' }
    : { title: 'New environment', fields, act: 'Save the environment' }
}

/** Returns the name of an environment, or its id if it has none. */
export function environmentName({ id, name }: Pick<Environment, 'id' | 'name'>): string {
  return name ?? id
}

/** Returns the fields of the body; in a change, `null` clears a field whose text is empty. */
export function contentOf({ name, description, hostId, modelId }: FormValues, isChange: boolean) {
  const model = modelId?.trim()
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(description !== undefined && (isChange || description !== '') && { description }),
    ...(hostId !== undefined && { hostId }),
    ...(model !== undefined && (model !== '' || isChange) && { modelId: model === '' ? null : model }),
  }
}
