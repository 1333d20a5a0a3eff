import { useConfirm } from './confirm.tsx'

/** Leaves a form: at once if nothing was filled in, otherwise after a question. */
export function useLeaveFilled(isFilled: boolean, leave: () => void): () => void {
  const confirm = useConfirm()
  const ask = async (): Promise<void> => {
    const question = {
      title: 'Discard what you filled in?',
      lines: ['What you filled in here will be lost.'],
      action: 'Discard it',
      decline: 'Keep editing',
    }
    if (await confirm(question)) leave()
  }
  return () => (isFilled ? void ask() : leave())
}
