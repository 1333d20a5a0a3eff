import type { ParsedInputOf } from '../../api/contract/endpoint.ts'
import type { GetPromptResult, ResourceContents } from '../../api/contract/server-operations.ts'
import type { servers } from '../../api/contract/servers.ts'
import type { ProofKey, StoredSignIn } from '../../api/contract/sign-ins.ts'
import type { CallMade } from '../calls/calls.ts'
import { proofSession } from '../connections/proofs.ts'
import type { ServerTarget } from '../connections/types.ts'
import { readerOf, type Caller } from '../core/access.ts'
import { insertServer, shownUrl, toProjectServer, updateServer, secretsOf } from './records.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import type { ServerRow, ServerTokens } from './rows.ts'
import { requestTokens, requireKey } from './grants.ts'
import { discoverIssuer, lifetimeOf } from './token-refresh.ts'
import { ServiceError } from '../core/errors.ts'
import { invalidField } from '../core/validation.ts'
import { pageOf } from '../core/list-page.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { defined } from '../../lib/json.ts'
import type { ResourceTemplate } from '../../api/contract/live-servers.ts'
import { newId } from '../core/ids.ts'
import type { Store } from '../core/database/store.ts'

type ServerCall = {
  params: { serverId: string }
  project: ProjectRow
  caller: Caller
  requestId: string
  signal: AbortSignal
}
type ImportedTokens = ParsedInputOf<typeof servers.importTokens>['body'] & { proofKey?: ProofKey }

export function serverHandlers(context: ServiceContext): Handlers['servers'] {
  const { store } = context
  return {
    list: ({ project, query, caller }) =>
      pageOf(store.cursors, { list: `servers/${project.id}`, rows: store.servers.list(project.id), query }, row =>
        toProjectServer(row, readerOf(caller, project)),
      ),
    get: ({ project, params, caller }) =>
      toProjectServer(store.servers.require(project.id, params.serverId), readerOf(caller, project)),
    create: ({ project, body, caller }) =>
      store.write(() => toProjectServer(insertServer(store, project.id, body), readerOf(caller, project))),
    update({ project, params, body, caller }) {
      const updated = store.write(() => updateServer(store, store.servers.require(project.id, params.serverId), body))
      context.connections.drop(updated.id)
      return toProjectServer(updated, readerOf(caller, project))
    },
    delete({ project, params }) {
      store.write(() => deleteServer(context, store.servers.require(project.id, params.serverId)))
      context.connections.drop(params.serverId)
      return { id: params.serverId, deleted: true }
    },
    importTokens: call => importTokens(context, call),
    ...operations(context),
  }
}

type Importing = { project: ProjectRow; params: { serverId: string }; body: ImportedTokens; signal: AbortSignal }

async function importTokens({ store, connections }: ServiceContext, { project, params, body, signal }: Importing) {
  const read = () => {
    const server = store.servers.require(project.id, params.serverId)
    return { server, tokens: tokensFrom(server, body) }
  }
  const { refreshToken, client } = read().tokens
  // The caller who imports tokens is responsible for their origin. Later they are renewed only at this issuer.
  const issuer = refreshToken && client ? await discoverIssuer(body.serverUrl, signal) : undefined
  const imported = store.write(() => {
    const { server, tokens } = read()
    store.servers.setGrant(server, undefined, { ...tokens, ...defined({ issuer }) })
    return { imported: true, expiresAt: tokens.expiresAt ?? null }
  })
  // The session may belong to the person with the earlier tokens.
  connections.drop(params.serverId)
  return imported
}

function toStoredSignIn({ tokens, secrets: { grant } }: ServerRow): StoredSignIn {
  const refreshes = tokens?.refreshToken !== undefined && tokens.client !== undefined && tokens.issuer !== undefined
  return {
    signedIn: tokens !== undefined,
    expiresAt: tokens?.expiresAt ?? null,
    refreshable: grant !== undefined || refreshes,
    issuer: tokens?.issuer ?? null,
    clientId: tokens?.client?.clientId ?? null,
    grant: grant?.grant ?? null,
  }
}

/** Handles the stored sign-in to a server. The tokens themselves are never returned. */
export function signInHandlers(context: ServiceContext): Handlers['signIns'] {
  const { store, connections } = context
  return {
    get: ({ project, params }) => toStoredSignIn(store.servers.require(project.id, params.serverId)),
    async grant({ project, params, body, signal }) {
      const server = store.servers.require(project.id, params.serverId)
      const { name, url } = server
      if (server.transportType !== 'http' || !url) throw invalidField('grant', 'a server over stdio has no sign-in')
      if (body.privateKey !== undefined) requireKey(body.privateKey)
      const issuer = body.issuer ?? (await discoverIssuer(url, signal))
      if (issuer === undefined)
        throw new ServiceError('SERVER_UNREACHABLE', `The server "${name}" does not tell its authorization server.`)
      const tokens = await requestTokens({ name, url }, { ...body, issuer }, { signal })
      const stored = store.write(() => {
        const current = store.servers.require(project.id, params.serverId)
        // The secrets were given for this address.
        if (current.url !== url) throw invalidField('grant', 'the address of the server has changed meanwhile')
        store.servers.setGrant(current, { ...body, issuer }, tokens)
        return toStoredSignIn(store.servers.require(project.id, params.serverId))
      })
      connections.drop(params.serverId)
      return stored
    },
    async keep(call) {
      const { proofKey } = call.body
      await proofSession(proofKey).catch(() => {
        throw invalidField('proofKey', `is not a private key of ${proofKey.algorithm} without a password, as PEM`)
      })
      return await importTokens(context, call)
    },
    delete({ project, params }) {
      store.write(() =>
        store.servers.setGrant(store.servers.require(project.id, params.serverId), undefined, undefined),
      )
      connections.drop(params.serverId)
      return { signedOut: true }
    },
  }
}

type Operations = Omit<Handlers['servers'], 'list' | 'get' | 'create' | 'update' | 'delete' | 'importTokens'>

function operations({ store, connections, targets, history, onDoctorStep }: ServiceContext): Operations {
  const target = ({ project, params }: ServerCall) => targets.of(store.servers.require(project.id, params.serverId))
  const recorded = <T>(call: ServerCall, made: CallMade, work: (target: ServerTarget) => Promise<T>): Promise<T> => {
    const server = store.servers.require(call.project.id, call.params.serverId)
    const { requestId: id, signal } = call
    const secrets = secretsOf(server)
    return history.record({ ...made, id, serverId: server.id, secrets, signal }, async () => {
      try {
        return await work(targets.of(server))
      } finally {
        // Its token may have been refreshed for the call.
        const current = store.servers.find(server.id)
        if (current) secrets.push(...secretsOf(current))
      }
    })
  }
  return {
    validate: call => connections.validate(target(call), call.signal),
    async doctor(call) {
      const examined = target(call)
      const report = await connections.doctor(examined, call.signal, (step, check) =>
        onDoctorStep(examined.id, step, check),
      )
      return { ...report, error: report.error && { details: null, ...report.error } }
    },
    async checkOAuth(call) {
      const { useOAuth, serverUrl } = await connections.checkOAuth(target(call), call.signal)
      return { useOAuth, serverUrl: shownUrl(serverUrl ?? undefined, readerOf(call.caller, call.project)) }
    },
    tools: call => connections.listTools(target(call), call.body, call.signal),
    prompts: call => connections.listPrompts(target(call), call.body, call.signal),
    resources: call => connections.listResources(target(call), call.body, call.signal),
    callTool(call) {
      const { toolName, parameters } = call.body
      const made = { kind: 'tool', target: toolName, input: parameters ?? {} } as const
      return recorded(call, made, to => connections.callTool(to, call.body, call.signal, call.onProgress))
    },
    // Both results are returned unchanged, since the protocol library has validated them.
    getPrompt(call) {
      const { promptName, arguments: input = {} } = call.body
      const made = { kind: 'prompt', target: promptName, input } as const
      const work = (to: ServerTarget) => connections.getPrompt(to, call.body, call.signal)
      return recorded(call, made, work) as Promise<GetPromptResult>
    },
    readResource(call) {
      const made = { kind: 'resource', target: call.body.uri } as const
      const work = (to: ServerTarget) => connections.readResource(to, call.body, call.signal)
      return recorded(call, made, work) as Promise<ResourceContents>
    },
    skills: call => connections.listSkills(target(call), call.signal),
    getSkill: call => connections.getSkill(target(call), call.body, call.signal),
    readSkillFile: call => connections.readSkillFile(target(call), call.body, call.signal),
    export: call => connections.exportSnapshot(target(call), call.signal),
    reconnect(call) {
      const again = target(call)
      connections.drop(again.id)
      return connections.exportSnapshot(again, call.signal)
    },
  }
}

/** Deletes a server, and removes it from suites at once, so that no later launch names it. */
function deleteServer({ store }: ServiceContext, server: ServerRow): void {
  for (const suite of store.suites.list(server.projectId)) {
    const serverIds = suite.settings.serverIds.filter(id => id !== server.id)
    if (serverIds.length < suite.settings.serverIds.length)
      store.suites.update({ ...suite, settings: { ...suite.settings, serverIds } })
  }
  store.servers.delete(server.id)
}

function tokensFrom(server: ServerRow, body: ImportedTokens): ServerTokens {
  if (server.transportType !== 'http' || !server.url)
    throw invalidField('serverUrl', 'a server over stdio takes no tokens')
  // If the addresses differ, the tokens would be sent to a server that they were not issued for.
  if (URL.parse(body.serverUrl)?.href !== URL.parse(server.url)?.href)
    throw invalidField('serverUrl', 'is not the address of the saved server')
  const { tokens, clientInformation, oauthResourceUrl, proofKey } = body
  if (!proofKey && tokens.token_type?.toLowerCase() === 'dpop')
    throw invalidField('tokens.token_type', 'is DPoP: such a token works only with its key; sign in instead')
  return defined({
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token,
    scope: tokens.scope,
    expiresAt: lifetimeOf(tokens.expires_in).expiresAt,
    client: clientInformation,
    resourceUrl: oauthResourceUrl,
    proofKey,
  })
}

type Call = { project: ProjectRow; params: { serverId: string } }

export function liveServerHandlers({ store, connections, targets }: ServiceContext): Handlers['liveServers'] {
  const target = ({ project, params }: Call) => targets.of(store.servers.require(project.id, params.serverId))
  return {
    async templates(call) {
      const { items, ...rest } = await connections.listResourceTemplates(target(call), call.body, call.signal)
      // An item without an address is no template. The doctor reports such items.
      return { items: items.filter(isTemplate), ...rest }
    },
    get: ({ project, params, query }) => connections.live(store.servers.require(project.id, params.serverId).id, query),
    restart: call => connections.restart(target(call), call.signal),
    end: call => connections.end(target(call)),
    setLogLevel: call => connections.setLogLevel(target(call), call.body.level, call.signal),
    subscribe: call => connections.subscribe(target(call), call.body, call.signal),
    complete: call => connections.complete(target(call), call.body, call.signal),
  }
}

function isTemplate(item: object): item is ResourceTemplate {
  return 'uriTemplate' in item && typeof item.uriTemplate === 'string'
}

type StoredServer = { store: Store; serverId: string }

/** What was copied to the other workspace, for the person. */
type HandedOver = { calls: number; signedIn: boolean }

/**
 * Copies ended calls, roots, and the sign-in or grant of a server to another workspace. The refresh token is moved, not
 * copied.
 */
export function handOverServer(from: StoredServer, to: StoredServer): HandedOver {
  const server = from.store.servers.find(from.serverId)
  const calls = from.store.calls.ended(from.serverId)
  to.store.write(() => {
    for (const { position: _position, ...call } of calls)
      to.store.calls.insert({ ...call, id: newId('req'), serverId: to.serverId })
    if (server?.roots) to.store.servers.setRoots(to.serverId, server.roots)
    const copy = to.store.servers.find(to.serverId)
    if (server?.tokens && copy) to.store.servers.setGrant(copy, server.secrets.grant, server.tokens)
  })
  if (server?.tokens?.refreshToken !== undefined) {
    const { refreshToken: _moved, ...tokens } = server.tokens
    from.store.write(() => from.store.servers.setTokens(from.serverId, tokens))
  }
  return { calls: calls.length, signedIn: server?.tokens !== undefined }
}
