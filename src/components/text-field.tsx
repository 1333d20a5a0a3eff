import TextInput from 'ink-text-input'
import { fieldKeys } from './component-keys.ts'
import { useKeymap } from '../app/keymap/keymap-context.tsx'
import { useBindings } from '../app/keymap/use-bindings.ts'

/** One line of text being typed; takes every printable key while it is shown. */
export function TextField(props: {
  value: string
  onChange: (value: string) => void
  onSubmit: (value: string) => void
  onCancel: () => void
  placeholder?: string
  mask?: string
}) {
  const { feed } = useKeymap()
  useBindings(
    fieldKeys,
    {
      submit: () => props.onSubmit(props.value),
      cancel: props.onCancel,
      left: key => feed(key.sequence),
      right: key => feed(key.sequence),
      erase: key => feed(key.sequence),
      clear: () => props.onChange(''),
    },
    { text: feed },
  )
  return (
    <TextInput
      value={props.value}
      onChange={props.onChange}
      {...(props.placeholder !== undefined && { placeholder: props.placeholder })}
      {...(props.mask !== undefined && { mask: props.mask })}
    />
  )
}
