// Package scenario turns files into checked values: topologies, scenarios and
// the design points that a scenario spans.
//
// # How a file becomes a value
//
// A YAML file is parsed into a tree of nodes, each with its place (parse.go,
// node.go). Tables of fields say what may stand in each kind of mapping; the
// decoder walks tree and table together and collects every fault (object.go,
// value.go). There is one table for each mapping: the places in topology.go, the
// rest in file.go, profile.go and fill.go. The JSON Schema is made from the same
// tables (schema.go), and what FORMATS lists but this version does not model
// stands in one more (later.go).
//
// # Design points
//
// `--set`, `vary` and `points` are one mechanism (override.go): a path into the
// trees of the scenario, its topology (`topology.…`) or its traces
// (`trace.<as>.…`), and a value that is set there, or a factor (`x0.5`) that
// scales what stands there and keeps its unit. It happens before decoding, and
// the value keeps the place where it is written, so that faults point there.
//
// Parts of a path are keys, indices (`links.0`, `links[0]`) and names. In a
// topology a hub, city, room or pool is addressed by its name from anywhere
// (`topology.guian-1.a100.slots`, `topology.west/guian-1.a100.slots`), a hub link
// as `east-west` where both directions are meant and as `east>west` where one is:
// a link that was written as `between` is then split in two.
//
// `--set` changes the scenario itself; then every combination of `vary` is a
// design point, in order of writing, the first key slowest; then each of
// `points`. They are p001, p002, …; where nothing varies there is one, `base`, and
// where there are only `points`, `base` comes first.
//
// # Not modeled
//
// See later.go: what is there is refused where it would change results, and told
// in a note where it would not.
package scenario
