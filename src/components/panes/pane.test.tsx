import { Text } from 'ink'
import { render } from 'ink-testing-library'
import { expect, test } from 'vitest'
import { createTheme, type Tone } from '../../tui/theme/theme.ts'
import { ThemeProvider } from '../../tui/theme/theme-context.tsx'
import { SizeProvider } from '../size.tsx'
import { Pane } from './pane.tsx'

test('a state has its color in the border of a pane, and the note after it does not', () => {
  const theme = createTheme({ level: 3, ascii: false })
  const { lastFrame, unmount } = render(
    <ThemeProvider theme={theme}>
      <SizeProvider width={60} height={4}>
        <Pane title="Run #17" note="✗ failed, 6/7 passed" state={{ text: '✗ failed', tone: 'error' }} focused>
          <Text>its tabs</Text>
        </Pane>
      </SizeProvider>
    </ThemeProvider>,
  )
  // The next text sets its own color, so the color is not reset in between.
  const begun = (tone: Tone, text: string) => theme.paint(tone, text).replace('\u001B[39m', '')
  expect(lastFrame()).toContain(begun('error', ' ✗ failed') + begun('muted', ', 6/7 passed '))
  unmount()
})
