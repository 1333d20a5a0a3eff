import { render } from 'ink-testing-library'
import { expect, test } from 'vitest'
import { createDispatcher } from '../tui/keymap/dispatcher.ts'
import { KeymapProvider } from '../tui/keymap/keymap-context.tsx'
import { createTheme } from '../tui/theme/theme.ts'
import { ThemeProvider } from '../tui/theme/theme-context.tsx'
import { Choice } from './confirm.tsx'
import { SizeProvider } from './size.tsx'

const dispatcher = createDispatcher({ settle: () => Promise.resolve(), report: () => undefined })

test('the selected answer has the color of the theme, and a mark in ASCII', () => {
  for (const ascii of [false, true]) {
    const theme = createTheme({ level: 3, ascii })
    const { lastFrame, unmount } = render(
      <ThemeProvider theme={theme}>
        <KeymapProvider dispatcher={dispatcher} feed={() => undefined}>
          <SizeProvider width={40} height={4}>
            <Choice action="Launch" decline="Cancel" top={0} onAnswer={() => undefined} />
          </SizeProvider>
        </KeymapProvider>
      </ThemeProvider>,
    )
    expect(lastFrame()).toContain(theme.paint('key', `[${ascii ? '>' : '❯'} Cancel ]`))
    expect(lastFrame()).toMatch(/^\[ {2}Launch \]$/m)
    unmount()
  }
})
