import { Box, Text } from 'ink'
import { render } from 'ink-testing-library'
import { useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { createDispatcher } from '../tui/keymap/dispatcher.ts'
import { KeymapProvider } from '../tui/keymap/keymap-context.tsx'
import { ThemeProvider } from '../tui/theme/theme-context.tsx'
import { createTheme } from '../tui/theme/theme.ts'
import { FaultsProvider, QuietBoundary } from './boundary.tsx'
import { createOverlays, OverlayHost, OverlaysProvider, useOverlays, type Overlays } from './overlays.tsx'
import { Pane } from './panes/pane.tsx'
import { Panes, type PaneSpec } from './panes.tsx'
import { SizeProvider } from './size.tsx'
import { reactSettled } from '../tui/keymap/react-settled.ts'

const open: { unmount: () => void }[] = []
afterEach(() => open.splice(0).forEach(instance => instance.unmount()))

/** The error that each part currently throws; undefined throws nothing. */
type Throws = { list?: unknown; detail?: unknown; dialog?: unknown; header?: unknown }

function stage(throws: Throws) {
  const report = vi.fn<(error: unknown) => void>()
  const dispatcher = createDispatcher({ settle: reactSettled, report: () => undefined })
  let overlays: Overlays = createOverlays()
  let goTo = (_place: string): void => undefined
  const drawn = (id: keyof Throws, focused: boolean) => {
    if (throws[id] !== undefined) throw throws[id]
    return (
      <Pane title={`The ${id}`} focused={focused}>
        <Text>{`${id} is here`}</Text>
      </Pane>
    )
  }
  const panes: PaneSpec<'list' | 'detail'>[] = (['list', 'detail'] as const).map(id => ({
    id,
    weight: 1,
    render: focused => drawn(id, focused),
  }))
  function Stage() {
    const [focused, setFocused] = useState<'list' | 'detail'>('detail')
    const [place, setPlace] = useState('here')
    overlays = useOverlays()
    goTo = setPlace
    return (
      <FaultsProvider report={report} place={place}>
        <Box flexDirection="column" height={20}>
          <QuietBoundary>
            <Part id="header" />
          </QuietBoundary>
          <SizeProvider width={100} height={19}>
            <Panes panes={panes} focused={focused} onFocus={setFocused} />
            <OverlayHost />
          </SizeProvider>
        </Box>
      </FaultsProvider>
    )
  }
  function Part(props: { id: keyof Throws }) {
    if (throws[props.id] !== undefined) throw throws[props.id]
    return <Text>{`${props.id} is here`}</Text>
  }
  const instance = render(
    <ThemeProvider theme={createTheme({ level: 0, ascii: false })}>
      <KeymapProvider dispatcher={dispatcher} feed={() => undefined}>
        <OverlaysProvider>
          <Stage />
        </OverlaysProvider>
      </KeymapProvider>
    </ThemeProvider>,
  )
  open.push(instance)
  return {
    report,
    frame: () => instance.lastFrame() ?? '',
    openDialog: async () => {
      overlays.open({ title: 'Dialog', width: 80, height: 8, content: () => <Part id="dialog" /> })
      await reactSettled()
    },
    goTo: async (place: string) => {
      goTo(place)
      await reactSettled()
    },
    press: async (name: string, sequence: string) => {
      await dispatcher.press([{ name, sequence }])
      await reactSettled()
    },
  }
}

test.each([new Error('a lost number'), 'a text', 0, null, { is: 'no error' }])(
  'a pane that throws reports a fault, the other panes continue, and a key retries it',
  async thrown => {
    const throws: Throws = { detail: thrown }
    const { frame, report, press } = stage(throws)
    expect(frame()).toContain('list is here')
    expect(frame()).toContain('header is here')
    expect(frame()).toContain('▌Detail')
    expect(frame()).toContain('Fault in mcpdeck')
    expect(frame()).toContain('Press Enter to try it again.')
    expect(report.mock.calls).toEqual([[thrown]])
    await press('enter', '\r')
    expect(report).toHaveBeenCalledTimes(2)
    delete throws.detail
    await press('enter', '\r')
    expect(frame()).toContain('detail is here')
    expect(frame()).not.toContain('Fault')
  },
)

test('a pane that failed is retried when the place changes', async () => {
  const throws: Throws = { detail: new Error('this record') }
  const { frame, goTo } = stage(throws)
  expect(frame()).toContain('this record')
  delete throws.detail
  await goTo('there')
  expect(frame()).toContain('detail is here')
})

test('if all parts throw at once, the keys of the panes still work', async () => {
  const { frame, press } = stage({
    list: new Error('one\u009D0;evil'),
    detail: new Error('two'),
    header: new Error('three'),
  })
  expect(frame()).toContain('one<009D>0;evil')
  expect(frame()).toContain('▌Detail')
  await press('tab', '\t')
  expect(frame()).toContain('▌List')
})

test('a dialog that throws can be closed, and the page beneath still works', async () => {
  const { frame, press, openDialog } = stage({ dialog: new Error('no dialog') })
  await openDialog()
  expect(frame()).toContain('no dialog')
  await press('escape', '\u001B')
  expect(frame()).not.toContain('no dialog')
  expect(frame()).toContain('detail is here')
})
