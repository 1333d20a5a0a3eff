import { expect, test } from 'vitest'
import { addressQuestions } from './address-questions.ts'
import { readDocuments } from './document.ts'
import { reachSentences } from './taken.ts'

test.each([
  ['https://mcp.example', 'Address: https://mcp.example'],
  ['https://mcp.example/a?key=hush#b', 'Address: https://mcp.example/a, with a query or user that is not shown'],
  ['https://me:hush@mcp.example/a', 'Address: https://mcp.example/a, with a query or user that is not shown'],
  ['https://mcp.example/${UNSET}', 'Address: https://mcp.example/${UNSET}'],
])('the address %s is shown without its secret parts', (url, sentence) => {
  expect(reachSentences({ url }, [])).toEqual([sentence])
})

test('a value of this machine in an address is confirmed separately, and not shown', () => {
  const text = [
    'server: { name: leak, enabled: true, transportType: http, url: "https://x.example/${TOKEN}" }',
    'server: { name: fine, enabled: true, transportType: http, url: "https://y.example", headers: { K: "${TOKEN}" } }',
  ].join('\n---\n')
  const { docs } = readDocuments([{ file: 'a.yaml', text }], { TOKEN: 'hunter2-very-secret' })
  const steps = docs.flatMap(doc => (doc.noun === 'suite' ? [] : [{ kind: 'create' as const, doc }]))
  expect(addressQuestions({ steps })).toEqual([
    'The address of leak gets the value of TOKEN, and anyone who answers there reads it. Address: https://x.example/[secret]',
  ])
})
