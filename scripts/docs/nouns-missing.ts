type Reasons = { screen?: string; verb?: string }

/** The same reason for both. */
const neither = (why: string): Reasons => ({ screen: why, verb: why })

const RUNNER = 'A test runner sends its own reports; `mcpdeck api` sends one by hand.'
const CHOICE = 'A person chooses between the drafts that come.'
const ADVICE = 'A person asks for advice where it is read.'
const BROWSER = 'A person signs in, which the screen follows.'
const READ_ONLY = 'Built and changed on the service’s own pages; read-only here.'
const SHOWN = 'For a person to read; nothing takes it as input.'

/** Why an operation is on no screen, or has no verb of its own; by its name in the contract, or its noun’s. */
export const MISSING: Readonly<Record<string, Reasons>> = {
  evalIngest: neither(RUNNER),
  conformanceIngest: neither(RUNNER),
  hosts: neither('An older name of clients, where all of it is.'),
  tunnels: neither('A tunnel lives in the process that holds it, the service’s own agent.'),
  chat: neither('A chat is its own program; Sessions lists what was said.'),
  'chats.get': { verb: '`mcpdeck api` prints it.' },
  computer: neither('Belongs to the service’s hosted computer.'),
  harness: neither('No form here asks for a built-in tool.'),
  images: neither(READ_ONLY),
  'images.get': { screen: 'The list holds all of it.' },
  'checkRepos.connect': neither('Begins at the repository’s host; read-only here.'),
  'chatSessions.list': { screen: 'Sessions lists them among all others.' },
  'readiness.get': { screen: 'The list and the report hold all of it.' },
  'servers.checkOAuth': { verb: '`validate` and `doctor` say it.' },
  'environments.capabilities': neither('The project’s own capabilities say it.'),
  'environments.ensureAdhoc': neither('Nothing here wants an environment without a name.'),
  'environments.name': { verb: 'Found through what uses it, which a person reads.' },
  'environments.restore': { verb: '`apply` makes it anew; an archived name is free.' },
  'capabilities.get': { verb: SHOWN },
  projects: { verb: 'Rarely scripted: `mcpdeck api` does it, and the screen asks for the typed name.' },
  connections: { verb: BROWSER },
  'personas.generate': { verb: CHOICE },
  'journeys.generate': { verb: CHOICE },
  'cases.generate': { verb: CHOICE },
  'cases.create': { verb: 'Importing and applying files creates cases in batches.' },
  'clients.duplicate': { verb: '`export` and `create` make a copy.' },
  'suites.attachEnvironment': { verb: 'A launch on the screen attaches it on the way.' },
  'hostCatalog.get': { verb: SHOWN },
  'plugins.version': { verb: 'The list of plugins names the version.' },
  waveInsights: { verb: ADVICE },
  userTestingInsights: { verb: ADVICE },
  'runs.requestInsights': { verb: ADVICE },
  'runs.requestJudge': { verb: ADVICE },
  traffic: { verb: 'The process that holds the connections keeps it; a command has none.' },
  console: { verb: 'The process that holds the connections keeps it; a command has none.' },
  'serverRequests.list': { screen: 'The screen hears of each as it comes.' },
  serverRequests: { verb: 'A server asks only where a dashboard is open.' },
  roots: { verb: 'Only a dashboard tells servers of them.' },
  'signIns.get': { verb: 'Found through the server; `mcpdeck api` says it.' },
  liveServers: { verb: 'Only a connection that stays hears it; a command ends with its answer.' },
  calls: { verb: 'They are looked at and compared on the screen; `mcpdeck api` prints them.' },
  readiness: { verb: 'A person answers what the report leaves open.' },
}
