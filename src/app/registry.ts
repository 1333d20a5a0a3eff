import type { ComponentType } from 'react'
import type { ScreenDeclaration } from '../tui/router/screen.ts'
import * as declared from './screens.ts'

/** Every screen, in the order of its number. */
export const screens = Object.values(declared).sort((one, other) => one.order - other.order)

/** A screen with what draws it. */
export type LoadedScreen = ScreenDeclaration & { Screen: ComponentType }

/** Loads what draws the screens, all of them together. */
export async function loadScreens(declared: readonly ScreenDeclaration[] = screens): Promise<LoadedScreen[]> {
  return await Promise.all(declared.map(async screen => ({ ...screen, Screen: await screen.load() })))
}
