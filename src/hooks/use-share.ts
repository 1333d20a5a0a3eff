import { createContext, useContext } from 'react'
import { type Share, SHARE_FACTORS } from '../domain/polling/share.ts'

/** What the person gives to the screen that is open. */
export const ShareContext = createContext<Share>('usual')

/** How many times as long this screen's pauses between reads are. */
export function useShareFactor(): number {
  return SHARE_FACTORS[useContext(ShareContext)]
}
