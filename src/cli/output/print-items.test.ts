import { expect, test, vi } from 'vitest'
import { printItems } from './print-items.ts'

test('columns stay aligned with wide characters, and no cell breaks its line', () => {
  const written: string[] = []
  const write = vi.spyOn(process.stdout, 'write').mockImplementation(text => written.push(String(text)) > 0)
  printItems(
    [
      ['日本語', 'Tokyo'],
      ['e\u0301', 'a\nb\u001b[2J'],
      ['Rome', ''],
    ],
    false,
    cells => cells,
  )
  write.mockRestore()
  expect(written.join('')).toBe('日本語  Tokyo\ne\u0301       a␊b␛[2J\nRome\n')
})
