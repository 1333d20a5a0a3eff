import * as z from 'zod'
import { openEnum, record, shape } from './shapes.ts'

/** Who may open a share link; nothing stands for "unpublished", because such a scenario is gone. */
export const SCENARIO_MODES = ['project_members', 'invited_only', 'anyone_with_link'] as const

export const scenarioMode = shape(() => openEnum(SCENARIO_MODES))

/**
 * A share link, which by itself grants access: text on publish, rebind and rotation, an object on the `/scenarios`
 * reads (differences, row 34). Read it with {@link scenarioUrl}.
 */
export const ScenarioLink = shape(() => z.union([z.string(), record({ path: z.string().nullish(), url: z.string() })]))
export type ScenarioLink = z.infer<typeof ScenarioLink>

/** Address of a share link in either form; `undefined` when the scenario has none. */
export function scenarioUrl(link: ScenarioLink | null | undefined): string | undefined {
  return typeof link === 'string' ? link : link?.url
}
