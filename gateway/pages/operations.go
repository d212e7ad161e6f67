package pages

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"insurance.example/exchange/contracts/routes"
)

// operation is one operation of the OpenAPI document.
type operation struct {
	Method  string `json:"method"`
	Path    string `json:"path"`
	Summary string `json:"summary"`
	// Viewer is where the viewer shows the operation.
	Viewer string `json:"viewer"`

	group string
	// problems are the paths of the problems that the operation can return.
	problems []string
}

// String returns the method and the path.
func (o operation) String() string { return o.Method + " " + o.Path }

// groups are the groups of the interface in its order. An operation of another group comes after them.
var groups = []string{"parties", "products", "coverage", "objects", "claims", "premium"}

// readOperations returns the operations of an OpenAPI document in the order of the interface.
func readOperations(document []byte) ([]operation, error) {
	var d struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, err
	}
	var all []operation
	for path, item := range d.Paths {
		for method, text := range item {
			method = strings.ToUpper(method)
			if !slices.Contains(methods, method) {
				continue // what the operations of a path share
			}
			var described struct {
				OperationID, Summary string
				Tags                 []string
				Problems             []string `json:"x-problems"`
			}
			if err := json.Unmarshal(text, &described); err != nil {
				return nil, err
			}
			o := operation{
				Method: method, Path: path, Summary: described.Summary, group: strings.Join(described.Tags, "/"),
				problems: described.Problems,
			}
			o.Viewer = "/docs#/" + strings.ReplaceAll(o.group, " ", "%20") + "/" + described.OperationID
			all = append(all, o)
		}
	}
	return all, order(all)
}

// methods are the methods of operations, in the order in which the operations of one path are shown.
var methods = []string{http.MethodPost, http.MethodGet, http.MethodPut, http.MethodDelete}

// order sorts operations: by group, then by resource in the order of declaration; of one resource the list before the
// record, and its actions last. Operations beyond the interface come after all others.
func order(all []operation) error {
	table, err := routes.Load()
	if err != nil {
		return err
	}
	var resources []string
	actions := map[string][]string{} // by resource
	for _, r := range table.Resources {
		resources = append(resources, r.Resource)
		actions[r.Resource] = append(slices.Clone(r.Subs), r.Actions...)
	}
	rank := func(o operation) []int {
		if rest, beyond := strings.CutPrefix(o.Path, "/x/"); beyond {
			resource := slices.IndexFunc(resources, func(r string) bool {
				return slices.Contains(strings.Split(rest, "/"), r)
			})
			return []int{len(groups) + 1, resource}
		}
		group := slices.IndexFunc(groups, func(g string) bool { return strings.EqualFold(g, o.group) })
		if group < 0 {
			group = len(groups)
		}
		resource, item, isItem := strings.Cut(strings.TrimPrefix(o.Path, "/"), "/")
		ranks := []int{group, slices.Index(resources, resource), 0, slices.Index(methods, o.Method)}
		if isItem {
			action := slices.Index(actions[resource], strings.TrimLeft(strings.TrimPrefix(item, "{id}"), ":/"))
			ranks[2] = 2 + action // 1 is the record itself
		}
		return ranks
	}
	slices.SortFunc(all, func(a, b operation) int {
		return cmp.Or(slices.Compare(rank(a), rank(b)), cmp.Compare(a.String(), b.String()))
	})
	return nil
}

// viewerOrder returns, as JSON, the groups and the operations in the order in which the viewer shows them. An
// operation is its method and its path.
func viewerOrder(operations []operation) (string, error) {
	var groups struct {
		Groups     []string `json:"groups"`
		Operations []string `json:"operations"`
	}
	for _, o := range operations {
		if !slices.Contains(groups.Groups, o.group) {
			groups.Groups = append(groups.Groups, o.group)
		}
		groups.Operations = append(groups.Operations, o.String())
	}
	text, err := json.Marshal(groups)
	return string(text), err
}
