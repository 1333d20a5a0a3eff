import * as z from 'zod'
import { listOf, record, shape, timestamp, openEnum } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'
import { SCENARIO_MODES } from './choices.ts'

export const scenarioMode = shape(() => openEnum(SCENARIO_MODES))

/** A share link, which itself grants access, as text or object (differences, row 34). See {@link scenarioUrl}. */
export const ScenarioLink = shape(() => z.union([z.string(), record({ path: z.string().nullish(), url: z.string() })]))
export type ScenarioLink = z.infer<typeof ScenarioLink>

/** Returns the address of a share link in either form; `undefined` if the scenario has none. */
export function scenarioUrl(link: ScenarioLink | null | undefined): string | undefined {
  return typeof link === 'string' ? link : link?.url
}

/** A published scenario as the read-only list shows it. */
export const ProjectScenario = shape(() =>
  record({
    id: z.string(),
    projectId: z.string().nullish(),
    name: z.string(),
    description: z.string().nullish(),
    mode: scenarioMode().nullish(),
    hostStyle: z.string().nullish(),
    hostId: z.string().nullish(),
    hostName: z.string().nullish(),
    serverCount: z.number().nullish(),
    serverNames: z.array(z.string()).nullish(),
    link: ScenarioLink().nullish(),
    createdAt: timestamp().nullish(),
    updatedAt: timestamp().nullish(),
  }),
)
export type ProjectScenario = z.infer<typeof ProjectScenario>

/** A published scenario with its run settings. */
export const ScenarioDetail = shape(() =>
  ProjectScenario().extend({
    modelId: z.string().nullish(),
    systemPrompt: z.string().nullish(),
    temperature: z.number().nullish(),
    requireToolApproval: z.boolean().nullish(),
    servers: z
      .array(
        record({
          id: z.string(),
          name: z.string().nullish(),
          url: z.string().nullish(),
          useOAuth: z.boolean().nullish(),
        }),
      )
      .nullish(),
  }),
)
export type ScenarioDetail = z.infer<typeof ScenarioDetail>

const errors = ['VALIDATION_ERROR', 'SERVER_UNREACHABLE'] as const

export const scenarios = resource('scenarios', {
  list: endpoint('listScenarios', 'GET', '/projects/{projectId}/scenarios', {
    summary: 'Published scenarios with access mode, servers and link.',
    ...listOf(ProjectScenario),
    errors,
    source: 'prose',
  }),
  get: endpoint('getScenario', 'GET', '/projects/{projectId}/scenarios/{scenarioId}', {
    summary: 'Complete settings of one published scenario.',
    response: ScenarioDetail,
    errors,
  }),
})
