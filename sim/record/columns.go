package record

// kind is how a column is buffered and encoded.
type kind uint8

const (
	realKind kind = iota // double
	optReal              // double that may be absent
	intKind              // int32
	flagKind             // boolean
	textKind             // string of its own in nearly every row: no dictionary
	optText              // the same, absent where empty
	nameKind             // string by number, in a dictionary
	optName              // the same, where the number or the name may be absent
	numKinds
)

var kindTypes = [numKinds]string{"double", "double", "int32", "boolean", "string", "string", "string", "string"}

// A column is its definition, and how its value is taken from a row: the one
// function that its kind asks for.
type column[R any] struct {
	Column
	kind kind

	real    func(*R) float64
	optReal func(*R) (float64, bool)
	integer func(*R) int32
	flag    func(*R) bool
	text    func(*R) []byte
	name    func(*R) Name
	optName func(*R) (Name, bool)
	names   func(*Names) lookup // of a name
}

// A lookup finds a name by its number.
type lookup func(Name) string

func define(k kind, name, unit, meaning string) Column {
	return Column{Name: name, Type: kindTypes[k], Unit: unit, Meaning: meaning, Optional: k == optReal || k == optText || k == optName}
}

func real[R any](name, unit, meaning string, f func(*R) float64) column[R] {
	return column[R]{Column: define(realKind, name, unit, meaning), kind: realKind, real: f}
}

func optional[R any](name, unit, meaning string, f func(*R) (float64, bool)) column[R] {
	return column[R]{Column: define(optReal, name, unit, meaning), kind: optReal, optReal: f}
}

func integer[R any](name, unit, meaning string, f func(*R) int32) column[R] {
	return column[R]{Column: define(intKind, name, unit, meaning), kind: intKind, integer: f}
}

func flag[R any](name, meaning string, f func(*R) bool) column[R] {
	return column[R]{Column: define(flagKind, name, "", meaning), kind: flagKind, flag: f}
}

func text[R any](name, meaning string, f func(*R) []byte) column[R] {
	return column[R]{Column: define(textKind, name, "", meaning), kind: textKind, text: f}
}

func maybeText[R any](name, meaning string, f func(*R) []byte) column[R] {
	return column[R]{Column: define(optText, name, "", meaning), kind: optText, text: f}
}

func named[R any](name string, of func(*Names) lookup, meaning string, f func(*R) Name) column[R] {
	return column[R]{Column: define(nameKind, name, "", meaning), kind: nameKind, name: f, names: of}
}

func maybe[R any](name string, of func(*Names) lookup, meaning string, f func(*R) (Name, bool)) column[R] {
	return column[R]{Column: define(optName, name, "", meaning), kind: optName, optName: f, names: of}
}

// value returns an Opt of some quantity as a plain number.
func value[F ~float64](o Opt[F]) (float64, bool) { return float64(o.Value), o.OK }

func in(table []string) lookup { return func(n Name) string { return table[n] } }

func classes(n *Names) lookup    { return in(n.Classes) }
func groups(n *Names) lookup     { return in(n.Groups) }
func rooms(n *Names) lookup      { return in(n.Rooms) }
func pools(n *Names) lookup      { return in(n.Pools) }
func kinds(n *Names) lookup      { return in(n.Kinds) }
func links(n *Names) lookup      { return in(n.Links) }
func tiers(n *Names) lookup      { return in(n.Tiers) }
func options(n *Names) lookup    { return in(n.Options) }
func reasons(n *Names) lookup    { return in(n.Reasons) }
func statuses(n *Names) lookup   { return in(n.Statuses) }
func purposes(n *Names) lookup   { return in(n.Purposes) }
func endReasons(n *Names) lookup { return in(n.EndReasons) }
func gates(n *Names) lookup      { return in(n.Gates) }

func routes(n *Names) lookup {
	if n.Route == nil {
		return func(Name) string { return "" }
	}
	return remembered(n.Route)
}

// remembered asks for each name once.
func remembered(find lookup) lookup {
	var known []Opt[string]
	return func(i Name) string {
		for int(i) >= len(known) {
			known = append(known, Opt[string]{})
		}
		if !known[i].OK {
			known[i] = Some(find(i))
		}
		return known[i].Value
	}
}

// optionSets names each set of options, by its bits: "wait;move-task".
func optionSets(n *Names) lookup {
	return func(set Name) string {
		s := ""
		for i, o := range n.Options {
			if i < 8 && set>>i&1 == 1 {
				if s != "" {
					s += ";"
				}
				s += o
			}
		}
		return s
	}
}
