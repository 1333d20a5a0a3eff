import { useConfirm } from './confirm.tsx'

/** Leaves what is being filled in: at once while there is nothing to lose, else after asking. */
export function useLeaveFilled(isFilled: boolean, leave: () => void): () => Promise<void> {
  const confirm = useConfirm()
  return async () => {
    const question = {
      title: 'Discard what you filled in?',
      lines: ['What you filled in here is lost then.'],
      action: 'Discard it',
      decline: 'Go on filling in',
    }
    if (!isFilled || (await confirm(question))) leave()
  }
}
