import { useBindings } from '../app/keymap/use-bindings.ts'
import { clean } from '../app/theme/text.ts'
import { useOverlays } from './overlays.tsx'
import { textOverlayKeys } from './text-overlay-keys.ts'
import { Viewer } from './viewer.tsx'
import type { Lines } from './viewer/source.ts'

const WIDTH = 100

/** Shows a longer text above the page until it is closed. */
export function useTextOverlay(): (title: string, lines: Lines) => void {
  const overlays = useOverlays()
  return (title, lines) => {
    const close = overlays.open({
      title: clean(title),
      size: available => ({ width: Math.min(WIDTH, available.width), height: available.height }),
      content: <TextOverlay lines={lines} onClose={() => close()} />,
    })
  }
}

function TextOverlay(props: { lines: Lines; onClose: () => void }) {
  useBindings(textOverlayKeys, { close: props.onClose })
  return <Viewer lines={props.lines} focused />
}
