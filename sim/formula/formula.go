// Package formula compiles expressions that users write over named values: the
// conditions of exclusion rules, the scores of their own policies.
//
// The values are the fields of a struct, named by its expr tags. An expression
// knows these names, arithmetic, comparisons, text operators and a few functions
// of numbers (abs, ceil, floor, max, min, round); it has no clock, no files and no
// state, and its size and memory are bounded (github.com/expr-lang/expr).
package formula

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"tiersim/sim/fault"
)

// maxNodes bounds the size of an expression. Chosen: ten times what a person reads.
const maxNodes = 1000

// functions are those that an expression may call: the others of the language
// read the clock, or build lists.
var functions = []string{"abs", "ceil", "floor", "max", "min", "round"}

// A Machine evaluates expressions. It is of one goroutine; the zero value is ready.
type Machine struct{ vm vm.VM }

// A Condition is an expression over the fields of E that is true or false.
type Condition[E any] struct{ program *vm.Program }

// NewCondition compiles a condition. The error says what is wrong and, where a
// name is unknown, which is nearest.
func NewCondition[E any](text string) (*Condition[E], error) {
	p, err := compile[E](text, expr.AsBool())
	if err != nil {
		return nil, err
	}
	return &Condition[E]{p}, nil
}

// Holds evaluates the condition.
func (c *Condition[E]) Holds(m *Machine, values *E) (bool, error) {
	v, err := m.vm.Run(c.program, values)
	if err != nil {
		return false, message(err)
	}
	return v.(bool), nil
}

// A Score is an expression over the fields of E that is a number.
type Score[E any] struct{ program *vm.Program }

// NewScore compiles a score, as NewCondition.
func NewScore[E any](text string) (*Score[E], error) {
	p, err := compile[E](text, expr.AsFloat64())
	if err != nil {
		return nil, err
	}
	return &Score[E]{p}, nil
}

// Value evaluates the score. A result that is no number is an error; an infinite
// one is not.
func (s *Score[E]) Value(m *Machine, values *E) (float64, error) {
	v, err := m.vm.Run(s.program, values)
	if err != nil {
		return 0, message(err)
	}
	x := v.(float64)
	if math.IsNaN(x) {
		return 0, errors.New("the result is not a number (0/0, or infinite less infinite)")
	}
	return x, nil
}

func compile[E any](text string, as expr.Option) (*vm.Program, error) {
	var values E
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("got an empty expression")
	}
	options := []expr.Option{expr.Env(&values), as, expr.MaxNodes(maxNodes), expr.DisableAllBuiltins()}
	for _, f := range functions {
		options = append(options, expr.EnableBuiltin(f))
	}
	var loops loopFinder
	p, err := expr.Compile(text, append(options, expr.Patch(&loops))...)
	if err != nil {
		return nil, withNearest[E](err)
	}
	if loops.found != "" {
		return nil, fmt.Errorf("got the function %s, want one of %s", loops.found, strings.Join(functions, ", "))
	}
	return p, nil
}

// A loopFinder finds the functions that go through lists: what an expression
// costs is bounded by its length.
type loopFinder struct{ found string }

// Visit is called for every node.
func (f *loopFinder) Visit(n *ast.Node) {
	if call, ok := (*n).(*ast.BuiltinNode); ok && !slices.Contains(functions, call.Name) {
		f.found = call.Name
	}
}

// Names returns the names that an expression over E may use.
func Names[E any]() []string {
	var names []string
	of := reflect.TypeFor[E]()
	for i := range of.NumField() {
		if tag := of.Field(i).Tag.Get("expr"); tag != "" && tag != "-" {
			names = append(names, tag)
		}
	}
	return names
}

// message is the first line of an error of the library, without its picture of
// the place.
func message(err error) error {
	var at *file.Error
	if errors.As(err, &at) {
		return fmt.Errorf("at column %d: %s", at.Column+1, at.Message)
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(text)
}

// withNearest adds the name that was probably meant.
func withNearest[E any](err error) error {
	err = message(err)
	_, unknown, ok := strings.Cut(err.Error(), "unknown name ")
	if !ok {
		return err
	}
	unknown, _, _ = strings.Cut(unknown, " ")
	names := Names[E]()
	if fix, found := fault.Suggest(unknown, names); found {
		return fmt.Errorf("%w; write %s", err, fix)
	}
	return fmt.Errorf("%w; there are %s", err, strings.Join(names, ", "))
}
