import type { ComponentType } from 'react'
import type { ScreenDeclaration } from '../tui/router/screen.ts'
import * as declared from './screens.ts'

/** Returns every screen: numbered ones in their order, then the others by title. */
export const screens = Object.values<(typeof declared)[keyof typeof declared]>(declared).sort(byNumber)

function byNumber(one: ScreenDeclaration, other: ScreenDeclaration): number {
  const numbers = (one.order ?? Infinity) - (other.order ?? Infinity)
  // Compares by code units: the locale rules would be loaded only for these simple titles.
  return Number.isNaN(numbers) || numbers === 0 ? (one.title < other.title ? -1 : 1) : numbers
}

/** A screen with the component that draws it. */
export type LoadedScreen = ScreenDeclaration & { Screen: ComponentType }

/** Loads the components of all screens together. */
export async function loadScreens(declared: readonly ScreenDeclaration[] = screens): Promise<LoadedScreen[]> {
  return await Promise.all(declared.map(async screen => ({ ...screen, Screen: await screen.load() })))
}
