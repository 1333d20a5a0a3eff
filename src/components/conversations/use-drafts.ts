import { useState } from 'react'

/** A question that is written, and others that the arrows put in its place; each keeps what was changed in it. */
export type Drafts = {
  texts: readonly string[]
  at: number
  text: string
  /** Something was written that is nowhere else. */
  isEdited: boolean
  edit: (text: string) => void
  move: (by: 1 | -1) => void
  /** A question was sent: it is one of the others from now on. */
  sent: (question: string) => void
}

/** @param isFirst they are what can be asked first, not what was asked before */
export function useDrafts(initial: readonly string[], isFirst: boolean): Drafts {
  const [{ given, texts, at }, set] = useState(() => {
    const given = isFirst && initial.length > 0 ? initial : [...(isFirst ? [] : initial), '']
    return { given, texts: given, at: isFirst ? 0 : given.length - 1 }
  })
  const [asked, setAsked] = useState<readonly string[]>(isFirst ? [] : initial)
  return {
    texts,
    at,
    text: texts[at] ?? '',
    isEdited: texts.some((text, index) => text.trim() !== '' && text !== given[index]),
    edit: text => set({ given, at, texts: texts.map((other, index) => (index === at ? text : other)) }),
    move: by => set({ given, texts, at: (at + by + texts.length) % texts.length }),
    sent(question) {
      const now = [...asked, question]
      setAsked(now)
      set({ given: [...now, ''], texts: [...now, ''], at: now.length })
    },
  }
}
