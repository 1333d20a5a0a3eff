import { Component, createContext, useContext, type ReactNode } from 'react'
import { useBindings, useKeyName } from '../tui/keymap/use-bindings.ts'
import { faultKeys, faultOverlayKeys } from './component-keys.ts'
import { ProblemNotice } from './pane-state.tsx'
import { Pane } from './panes/pane.tsx'

type Faults = {
  /** Writes an error to the crash log. */
  report: (error: unknown) => void
  /** The current place. When it changes, the parts that failed are rendered again. */
  place: string
}

const FaultsContext = createContext<Faults>({ report: () => undefined, place: '' })

/** Boundaries inside report the errors they catch. */
export function FaultsProvider(props: Faults & { children: ReactNode }) {
  const { report, place, children } = props
  return <FaultsContext.Provider value={{ report, place }}>{children}</FaultsContext.Provider>
}

type CatcherProps = Faults & {
  /** Renders an error with a function that retries. */
  renderFault: (error: unknown, again: () => void) => ReactNode
  children: ReactNode
}

/** The thrown value may be undefined. */
type Caught = { error: unknown } | undefined

/** React supports boundaries only as classes. */
class Catcher extends Component<CatcherProps, { caught?: Caught }> {
  override state: { caught?: Caught } = {}

  static getDerivedStateFromError(error: unknown): { caught: Caught } {
    return { caught: { error } }
  }

  override componentDidCatch(error: unknown): void {
    this.props.report(error)
  }

  override componentDidUpdate(before: CatcherProps): void {
    if (this.state.caught && before.place !== this.props.place) this.again()
  }

  override render(): ReactNode {
    const { caught } = this.state
    return caught ? this.props.renderFault(caught.error, this.again) : this.props.children
  }

  readonly again = (): void => this.setState({ caught: undefined })
}

/** A part of the frame that shows nothing if it throws. */
export function QuietBoundary(props: { children: ReactNode }) {
  const faults = useContext(FaultsContext)
  return (
    <Catcher {...faults} renderFault={() => null}>
      {props.children}
    </Catcher>
  )
}

/** A pane or a screen: if it throws, the rest of the dashboard continues, and a key retries it. */
export function Boundary(props: { title: string; focused: boolean; children: ReactNode }) {
  const faults = useContext(FaultsContext)
  const { title, focused } = props
  return (
    <Catcher
      {...faults}
      renderFault={(error, again) => (
        <Pane title={title} focused={focused}>
          <Fault error={error} again={again} focused={focused} />
        </Pane>
      )}
    >
      {props.children}
    </Catcher>
  )
}

function Fault(props: { error: unknown; again: () => void; focused: boolean }) {
  const key = useKeyName()
  useBindings(faultKeys, { again: props.again }, { active: props.focused })
  return <ProblemNotice problem={problemOf(props.error, `Press ${key(faultKeys, 'again')} to try it again.`)} />
}

/** The content of a dialog: if it throws, the dialog can still be closed. */
export function OverlayBoundary(props: { close: () => void; children: ReactNode }) {
  const faults = useContext(FaultsContext)
  return (
    <Catcher
      {...faults}
      renderFault={(error, again) => <OverlayFault error={error} again={again} close={props.close} />}
    >
      {props.children}
    </Catcher>
  )
}

function OverlayFault(props: { error: unknown; again: () => void; close: () => void }) {
  const key = useKeyName()
  useBindings(faultOverlayKeys, { again: props.again, close: props.close })
  const next = `Press ${key(faultOverlayKeys, 'again')} to try it again, ${key(faultOverlayKeys, 'close')} to close it.`
  return <ProblemNotice problem={problemOf(props.error, next)} />
}

function problemOf(error: unknown, next: string) {
  const message = error instanceof Error ? error.message : String(error)
  return {
    title: 'Fault in mcpdeck',
    sentence: `This part failed: ${message}. Everything else keeps working.`,
    next: `${next} The log of --log-file has the details.`,
  }
}
