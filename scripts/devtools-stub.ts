/** Stands in for `react-devtools-core`, which Ink imports in development only and which we do not ship. */
export default { initialize() {}, connectToDevTools() {} }
