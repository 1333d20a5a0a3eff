import { jsonText } from '../../lib/printable.ts'
import { useMemo } from 'react'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { clean } from '../../tui/theme/text.ts'
import { useTakenRows } from '../companion.tsx'
import { useOverlays } from '../overlays.tsx'
import { useOutline } from '../outline.tsx'
import { ScrolledRows } from '../viewer/scrolled-rows.tsx'
import { jsonOverlayKeys } from './json-keys.ts'
import { jsonNode, openDepth } from './json-tree.ts'

const WIDTH = 100

/** Shows JSON with foldable values; as many levels are unfolded as stay short. */
export function JsonViewer(props: { value: unknown; focused: boolean }) {
  const { value, focused } = props
  const roots = useMemo(() => [{ ...jsonNode(value, { id: '', open: openDepth(value) }), keepsOpen: true }], [value])
  const view = useOutline({ roots, focused, copyAll: () => jsonText(value, 2), whole: 'the whole as JSON' })
  useTakenRows(view.filled)
  return <ScrolledRows {...view.picture} />
}

/** Returns a function that shows a value as JSON above the page until it is closed. */
export function useJsonOverlay(): (title: string, value: unknown) => void {
  const overlays = useOverlays()
  return (title, value) => {
    overlays.open({
      title: clean(title),
      width: WIDTH,
      height: 'content',
      content: close => <JsonOverlay value={value} onClose={close} />,
    })
  }
}

function JsonOverlay(props: { value: unknown; onClose: () => void }) {
  useBindings(jsonOverlayKeys, { close: props.onClose })
  return <JsonViewer value={props.value} focused />
}
