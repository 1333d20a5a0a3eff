import { contract } from '../../api/contract/contract.ts'
import { clean } from '../../tui/theme/text.ts'
import { sendWrite, type WriteOptions } from '../journal/send-write.ts'
import { printReceived } from '../output/print-answer.ts'
import { say } from '../output/prose.ts'
import { EXIT } from '../process/exit-codes.ts'
import type { CommandContext } from '../workspace/in-workspace.ts'

export type DismissOptions = WriteOptions & { json?: boolean; undo?: boolean; scenario?: string }

/** Runs `mcpdeck dismiss`: hides a finding of the swarms, or of a scenario; `--undo` shows it again. */
export async function dismiss(
  context: CommandContext,
  [wanted = '']: readonly string[],
  own: DismissOptions,
): Promise<number> {
  const projectId = await context.projectId()
  const name = own.undo ? 'undismiss' : 'dismiss'
  const scenarioId = own.scenario === undefined ? undefined : (await context.find('scenarios', own.scenario)).id
  const found = await context.find('findings', wanted, scenarioId === undefined ? {} : { scenarioId })
  const place = { projectId, findingId: found.id }
  const ofScenario = found['scenarioId'] ?? scenarioId
  const { text, value } =
    typeof ofScenario === 'string'
      ? await sendWrite(
          context,
          { endpoint: contract.userTestingFindings[name], input: { ...place, scenarioId: ofScenario } },
          own,
        )
      : await sendWrite(context, { endpoint: contract.journeyFindings[name], input: place }, own)
  if (own.json) printReceived(text)
  // The answer says how the finding stands afterwards.
  const isDone = (value.dismissed ?? !own.undo) === !own.undo
  const finding = `finding ${clean(found.id)}`
  if (!isDone) say(`The service answers that the ${finding} is ${own.undo ? 'still' : 'not'} dismissed.`)
  else if (!own.json) say(`The ${finding} is ${own.undo ? 'shown again' : 'dismissed'}; its status stays.`)
  return isDone ? EXIT.done : EXIT.noVerdict
}
