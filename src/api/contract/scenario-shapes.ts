import * as z from 'zod'
import { SCENARIO_MODES } from './choices.ts'
import { openEnum, record, shape } from './shapes.ts'

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
