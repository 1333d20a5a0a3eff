import { simulateMachines } from '../../test/client/machines.ts'
import { number, table } from './report.ts'

/** An hour each of so many machines with one key, simulated over the program's own budget. */
export async function budgetTable(): Promise<string> {
  const rows: string[][] = []
  for (const machines of [1, 3, 10]) {
    const { answered, refused, atFirst, least } = await simulateMachines(machines)
    const part = refused / (answered + refused)
    const isMet = part < 0.01 && least >= 0.5
    const shares = [`${number(100 * part)} %`, String(atFirst), `${number(100 * least)} %`]
    rows.push([String(machines), String(answered), ...shares, isMet ? 'yes' : '**no**'])
  }
  const head = ['machines', 'answered', 'refused', 'in the first minute', 'least of a fair share', 'met']
  return table(head, rows)
}
