// Places that commands open, or print as locators.
export { placeOf as placeOfNow } from '../screens/now/place-of.ts'
export { nowRoute } from '../screens/now/route.ts'
export { projectsRoute } from '../screens/projects/route.ts'
export { runsRoute } from '../screens/runs/route.ts'
export { serversRoute } from '../screens/servers/route.ts'
