import { ApiError } from '../../api/client/errors/api-error.ts'
import { describeError, type ErrorText } from '../../api/client/errors/error-text.ts'
import type { LaunchField } from './launch-rules.ts'
import { ownValue } from '../../lib/own-value.ts'

/** Why an environment cannot run now, by `details.code` of the 409 (limits-and-errors, section 2). */
const ENVIRONMENT_FAULTS: Readonly<Record<string, Pick<ErrorText, 'sentence' | 'next'>>> = {
  ENV_NO_SERVERS: {
    sentence: 'The environment resolves to no servers.',
    next: 'Give its client a server, or choose another environment.',
  },
  ENV_HOST_MISSING: {
    sentence: 'The client of the environment was deleted.',
    next: 'Give the environment another client, or choose another environment.',
  },
  ENV_PLUGIN_UNAVAILABLE: {
    sentence: 'A plugin version that the environment pins cannot be used.',
    next: 'Pin another version in the environment, or choose another environment.',
  },
  ENV_MODEL_REQUIRED: {
    sentence: 'Neither the environment nor its client names a model.',
    next: 'Set a model on one of them, or choose another environment.',
  },
  ENV_ARCHIVED: { sentence: 'The environment is archived.', next: 'Restore it, or choose another environment.' },
  ENV_ATTACHMENT_MISSING: {
    sentence: 'The server group of the environment was deleted.',
    next: 'Give the environment another server group, or choose another environment.',
  },
}

/** Returns why an environment cannot run, in words; undefined if the refusal is about something else. */
export function environmentFault(error: unknown): Pick<ErrorText, 'sentence' | 'next'> | undefined {
  if (!(error instanceof ApiError)) return undefined
  if (error.reason === 'environment_model_required') return ENVIRONMENT_FAULTS['ENV_MODEL_REQUIRED']
  const code = error.details?.['code']
  return typeof code === 'string' ? ownValue(ENVIRONMENT_FAULTS, code) : undefined
}

/** Why a launch was refused, and what the person can do. */
export type LaunchRefusal = {
  /** The field to correct; absent if no field of a launch can help. */
  field?: LaunchField
  text: Pick<ErrorText, 'sentence' | 'next'>
  /** Models that would be accepted, if the refusal names them. */
  hostedModels: readonly string[]
  /** Whether all run slots are taken, so that the launch is possible once one is free. */
  waitsForSlot: boolean
  /**
   * Whether something that the launch names has changed, so that it must be read again before the person is asked
   * again.
   */
  isStale: boolean
}

const FIELD_OF_REASON: Readonly<Record<string, LaunchField>> = {
  NO_SAVED_SERVER_SELECTION: 'servers',
  ENVIRONMENT_NOT_ATTACHED: 'environments',
  ENVIRONMENT_REQUIRED: 'environments',
  ENVIRONMENT_SERVERS_NOT_OVERRIDABLE: 'servers',
  HETEROGENEOUS_TARGETS: 'clients',
  environment_model_required: 'environments',
  CI_OWNED_SUITE_READ_ONLY: 'environments',
}
/** The service's names of the fields that it refuses. */
const FIELD_OF_NAME: Readonly<Record<string, LaunchField>> = {
  serverIds: 'servers',
  environmentId: 'environments',
  namedHostId: 'clients',
  model: 'model',
  modelApiKeys: 'modelKeys',
  iterationOverride: 'iterations',
  caseIds: 'cases',
}

/**
 * Describes a refused launch and what to do.
 * @param names what the launch sent, for a refusal that names nothing but can only be about one field
 */
export function launchRefusal(error: ApiError, names: { environments: boolean; cases: boolean }): LaunchRefusal {
  const { details, reason } = error
  const hostedModels = modelsIn(details?.['hostedModels'])
  const isLimit = error.limit === 'concurrent-runs'
  const isMissing = error.status === 404
  const isConflict = error.code === 'CONFLICT'
  const text = wordsOf(error, names, hostedModels)
  const field = fieldOf()
  return {
    ...(field && { field }),
    text,
    hostedModels,
    waitsForSlot: isLimit,
    isStale: isMissing || isConflict || reason === 'ENVIRONMENT_NOT_ATTACHED',
  }

  function fieldOf(): LaunchField | undefined {
    if (hostedModels.length > 0) return 'model'
    const named = details?.['field']
    const name = typeof named === 'string' ? named.split('.')[0]! : ''
    const known = ownValue(FIELD_OF_REASON, reason) ?? ownValue(FIELD_OF_NAME, name)
    if (known) return known
    if (isMissing && names.cases) return 'cases'
    return isConflict && names.environments ? 'environments' : undefined
  }
}

function wordsOf(
  error: ApiError,
  names: { environments: boolean; cases: boolean },
  hostedModels: readonly string[],
): LaunchRefusal['text'] {
  const fault = environmentFault(error)
  if (fault) return fault
  if (hostedModels.length > 0)
    return {
      sentence: 'This model cannot be used here.',
      next: 'Choose one of the offered models, or give a key of your own for this one.',
    }
  if (error.status === 404 && names.cases)
    return {
      sentence: 'None of the chosen cases is in the suite any more, or the suite is gone.',
      next: 'The cases are read again: choose among them.',
    }
  if (error.code === 'CONFLICT' && error.reason === undefined && names.environments)
    return {
      sentence: 'The environment was changed since it was read, so nothing was launched.',
      next: 'Check what it resolves to now, then launch again.',
    }
  return describeError(error)
}

function modelsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(each => typeof each === 'string') : []
}
