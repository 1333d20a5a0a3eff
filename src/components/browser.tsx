import { createContext, useContext, type ReactNode } from 'react'
import { useCopy } from './copy.tsx'
import { useToasts } from './toasts.tsx'

/** Opens a web address in the person's browser. Resolves to the reason if that failed, else to undefined. */
export type OpenBrowser = (url: string) => Promise<string | undefined>

/** Opens a file with the desktop's program for it. Resolves to the reason if that failed, else to undefined. */
export type OpenFile = (path: string) => Promise<string | undefined>

const NO_BROWSER: OpenBrowser = async () => 'There is no browser here.'
const NO_DESKTOP: OpenFile = async () => 'There is no desktop here.'
const BrowserContext = createContext<OpenBrowser>(NO_BROWSER)
const DesktopContext = createContext<OpenFile>(NO_DESKTOP)

/** Lets its children open addresses and files. `open` is absent without a browser, `openFile` without a desktop. */
export function BrowserProvider(props: {
  open: OpenBrowser | undefined
  openFile: OpenFile | undefined
  children: ReactNode
}) {
  return (
    <BrowserContext.Provider value={props.open ?? NO_BROWSER}>
      <DesktopContext.Provider value={props.openFile ?? NO_DESKTOP}>{props.children}</DesktopContext.Provider>
    </BrowserContext.Provider>
  )
}

/** Returns a function that opens a file with the desktop's program for it. */
export function useOpenFile(): OpenFile {
  return useContext(DesktopContext)
}

/**
 * Opens a web address, or copies it if there is no browser; `what` describes an address that must not be shown.
 * Resolves to whether it was opened.
 */
export function useOpenUrl(): (url: string, what?: string) => Promise<boolean> {
  const open = useContext(BrowserContext)
  const copy = useCopy()
  const toasts = useToasts()
  return async (url, what) => {
    const obstacle = await open(url)
    if (obstacle === undefined) toasts.show('ok', `Opened ${what ?? url}`)
    else copy(url, `${obstacle} Copied ${what ?? `the address: ${url}`}`)
    return obstacle === undefined
  }
}
