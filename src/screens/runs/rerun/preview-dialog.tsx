import { Box, Text } from 'ink'
import { Choice } from '../../../components/confirm.tsx'
import { useOverlays } from '../../../components/overlays.tsx'
import { SizeProvider, useSize } from '../../../components/size.tsx'
import { Viewer, type Line } from '../../../components/viewer.tsx'

const WIDTH = 84
/** Rows of the two answers with the empty one above them. */
const CHOICE_ROWS = 3

/** Shows what a rerun would run, however many cases that is, and asks; it starts on Cancel. */
export function useRerunDialog(): (question: {
  title: string
  lines: readonly Line[]
  action: string
}) => Promise<boolean> {
  const overlays = useOverlays()
  return ({ title, lines, action }) =>
    new Promise(resolve => {
      const close = overlays.open({
        title,
        size: available => ({ width: Math.min(WIDTH, available.width), height: available.height }),
        content: (
          <RerunPreviewDialog
            lines={lines}
            action={action}
            onAnswer={answer => {
              close()
              resolve(answer)
            }}
          />
        ),
      })
    })
}

/** The arrows choose the answer, so the text above scrolls by pages. */
function RerunPreviewDialog(props: {
  lines: readonly Line[]
  action: string
  onAnswer: (answer: boolean) => void
}) {
  const { width, height } = useSize()
  const room = Math.max(1, height - CHOICE_ROWS)
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Box width={width} height={room}>
        <SizeProvider width={width} height={room}>
          <Viewer lines={props.lines} focused />
        </SizeProvider>
      </Box>
      <Text> </Text>
      <Box paddingLeft={1}>
        <Choice action={props.action} decline="Cancel" top={room + 1} onAnswer={props.onAnswer} />
      </Box>
    </Box>
  )
}
