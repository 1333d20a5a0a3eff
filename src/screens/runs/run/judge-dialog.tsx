import { useRef, useState } from 'react'
import { FieldsForm, type FormText } from '../../../components/form/fields-form.tsx'
import { useOverlays } from '../../../components/overlays.tsx'

/** What a judge is asked with; what is absent is as the suite says. */
export type JudgeChoice = { model?: string; threshold?: number }

const WIDTH = 76
const HEIGHT = 15

type Question = { title: string; effect: readonly FormText[]; act: string; onSend: (choice: JudgeChoice) => void }

/** Asks with which model and threshold to grade; nothing is sent unless the person chooses the act. */
export function useJudgeDialog(): (question: Question) => void {
  const overlays = useOverlays()
  return question => {
    const close = overlays.open({
      title: question.title,
      size: available => ({ width: Math.min(WIDTH, available.width), height: Math.min(HEIGHT, available.height) }),
      content: <JudgeDialog question={question} onClose={() => close()} />,
    })
  }
}

const ABOUT: readonly FormText[] = [
  { text: 'What is left empty is as the suite says. A request forgets what an earlier one chose.', tone: 'muted' },
]

function JudgeDialog(props: { question: Question; onClose: () => void }) {
  const { question, onClose } = props
  const [texts, setTexts] = useState(['', ''])
  const [fault, setFault] = useState<string>()
  const sent = useRef(false)
  const act = (): Promise<number | undefined> => {
    const parsed = parseChoice(texts)
    if (typeof parsed === 'string') {
      setFault(parsed)
      return Promise.resolve(THRESHOLD)
    }
    if (!sent.current) {
      sent.current = true
      onClose()
      question.onSend(parsed)
    }
    return Promise.resolve(undefined)
  }
  const field = { required: false, note: undefined, error: undefined }
  return (
    <FieldsForm
      fields={[
        { ...field, label: 'model', kind: 'name', note: 'The model that grades.' },
        {
          ...field,
          label: 'threshold',
          kind: 'from 0 to 1',
          note: 'The least score of a case that passes.',
          error: fault,
        },
      ]}
      texts={texts}
      onText={(index, text) => {
        setTexts(texts.map((old, at) => (at === index ? text : old)))
        setFault(undefined)
      }}
      about={ABOUT}
      effect={question.effect}
      act={question.act}
      onAct={act}
      onCancel={onClose}
    />
  )
}

const THRESHOLD = 1

/** What was typed, or what is wrong with the threshold. */
export function parseChoice(texts: readonly string[]): JudgeChoice | string {
  const [model, typed] = texts.map(text => text.trim())
  const chosen = model ? { model } : {}
  if (!typed) return chosen
  const threshold = Number(typed)
  return threshold >= 0 && threshold <= 1 ? { ...chosen, threshold } : 'must be a number from 0 to 1'
}
