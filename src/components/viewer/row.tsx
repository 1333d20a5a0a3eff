import { Text } from 'ink'
import { memo } from 'react'

/** One composed row; drawn again only when its text changes. */
export const Row = memo(function Row(props: { text: string }) {
  return <Text wrap="truncate">{props.text}</Text>
})
