import { Box, Text } from 'ink'
import { Choice } from './confirm.tsx'
import { useOverlays } from './overlays.tsx'
import { SizeProvider, useSize } from './size.tsx'
import { Viewer, type Line } from './viewer.tsx'

const WIDTH = 84
/** Rows of the two answers and the empty row above them. */
const CHOICE_ROWS = 3

/** The effects, of any length, and the label of the answer that acts. */
export type ReviewQuestion = { title: string; lines: readonly Line[]; action: string }

/**
 * Asks a question below a text, which may be long and can be scrolled and searched; it starts on Cancel. For short
 * questions use `useConfirm`.
 */
export function useReview(): (question: ReviewQuestion) => Promise<boolean> {
  const overlays = useOverlays()
  return ({ title, lines, action }) =>
    overlays.ask({
      title,
      width: WIDTH,
      content: answer => <ReviewDialog lines={lines} action={action} onAnswer={answer} />,
    })
}

/** The arrows select the answer, so the text above scrolls by pages. */
function ReviewDialog(props: { lines: readonly Line[]; action: string; onAnswer: (answer: boolean) => void }) {
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
