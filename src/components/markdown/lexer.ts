import { useEffect, useReducer } from 'react'

type Marked = typeof import('marked')

/** Loaded with the first Markdown that somebody looks at, since most sessions see none. */
let marked: Marked | undefined
let loading: Promise<void> | undefined

/** Loads what reads Markdown into blocks, once however often it is asked for. */
export function loadMarkdown(): Promise<void> {
  loading ??= load()
  return loading
}

async function load(): Promise<void> {
  try {
    marked = await import('marked')
  } catch {
    // Its file may be gone where the program was replaced meanwhile: then the source is all there is to see.
    loading = undefined
  }
}

/** What reads Markdown into blocks; undefined until it was loaded. */
export function loadedLexer(): Marked['Lexer'] | undefined {
  return marked?.Lexer
}

/** Whether Markdown can be laid out now. Where it is `wanted` it is loaded, and until it is there the source is to be shown. */
export function useMarkdownReady(wanted: boolean): boolean {
  const [, tell] = useReducer((count: number) => count + 1, 0)
  const isReady = marked !== undefined
  useEffect(() => {
    if (!wanted || isReady) return undefined
    let isHere = true
    const follow = async (): Promise<void> => {
      await loadMarkdown()
      if (isHere) tell()
    }
    void follow()
    return () => {
      isHere = false
    }
  }, [wanted, isReady])
  return wanted && isReady
}
