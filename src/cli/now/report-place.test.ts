import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { withShiftReport } from './report-place.ts'

function earlierReport(): string {
  const folder = mkdtempSync(join(tmpdir(), 'report-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const report = join(folder, 'shift.md')
  writeFileSync(report, '# An earlier shift\n')
  return report
}

test('a report file that was removed or replaced by a folder hides neither the error nor the exit code', async () => {
  for (const replace of [() => undefined, (report: string) => mkdirSync(report)]) {
    const report = earlierReport()
    const during = (work: () => number) => async () => {
      rmSync(report, { recursive: true })
      replace(report)
      return work()
    }
    const fails = during(() => {
      throw new Error('The service is away.')
    })
    await expect(withShiftReport({ report, force: true }, fails)).rejects.toThrow('The service is away.')
    rmSync(report, { recursive: true, force: true })
    expect(
      await withShiftReport(
        { report, force: true },
        during(() => 3),
      ),
    ).toBe(3)
  }
})

test('if a new report cannot be written, a note with the reason replaces the earlier one', async () => {
  const report = earlierReport()
  expect(await withShiftReport({ report, force: true }, async () => 3)).toBe(3)
  expect(readFileSync(report, 'utf8')).toMatch(/^# No shift report\n[^]*exit code 3 before it could be written/)
})
