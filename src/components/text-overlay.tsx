import { useBindings } from '../tui/keymap/use-bindings.ts'
import { clean } from '../tui/theme/text.ts'
import { useTheme } from '../tui/theme/theme-context.tsx'
import { useOverlays } from './overlays.tsx'
import { textOverlayKeys } from './text-overlay-keys.ts'
import { Viewer } from './viewer.tsx'
import { countRows } from './viewer/paint.ts'
import { toSource, type Lines } from './viewer/source.ts'

const WIDTH = 100
const BORDERS = 2

/** Returns a function that shows a longer text above the page until it is closed. */
export function useTextOverlay(): (title: string, lines: Lines) => void {
  const overlays = useOverlays()
  const theme = useTheme()
  return (title, lines) => {
    overlays.open({
      title: clean(title),
      width: WIDTH,
      height: ({ width, height }) =>
        countRows(toSource(lines), { theme, width: width - BORDERS, wraps: true }, height - BORDERS) + BORDERS,
      content: close => <TextOverlay lines={lines} onClose={close} />,
    })
  }
}

function TextOverlay(props: { lines: Lines; onClose: () => void }) {
  useBindings(textOverlayKeys, { close: props.onClose })
  return <Viewer lines={props.lines} focused />
}
