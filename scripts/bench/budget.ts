import { simulateMachines } from '../../test/client/machines.ts'
import { number, table } from './report.ts'

/** Simulates an hour for each number of machines with one key, with the program's own budget. */
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
