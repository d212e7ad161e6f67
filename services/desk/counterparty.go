package desk

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/internalapi"
	"insurance.example/exchange/pkg/docstore/shared"
	"insurance.example/exchange/pkg/problem"
	"insurance.example/exchange/pkg/rest"
	"insurance.example/exchange/pkg/rest/share"
	"insurance.example/exchange/services/desk/contract"
)

// mountInternal adds the operation to a router that says of which contracts of others the caller is the counterparty.
func (o *office) mountInternal(router gin.IRouter) {
	router.POST(internalapi.CounterpartyPath, func(c *gin.Context) {
		page, err := o.seen(c)
		rest.Respond(c, page, err)
	})
}

func (o *office) seen(c *gin.Context) (page internalapi.SeenContracts, err error) {
	var asked internalapi.AskedContracts
	if err := share.Read(c, internalapi.MostContracts*share.LongestName, &asked); err != nil {
		return page, err
	}
	if len(asked.References) > internalapi.MostContracts {
		return page, problem.New(problem.Invalid, "").
			At("/references", fmt.Sprintf("has more than %d elements", internalapi.MostContracts))
	}
	among, err := o.contracts.Among(c.Request.Context(), asked.References)
	page.Contracts = []internalapi.SeenContract{}
	for _, k := range among {
		page.Contracts = append(page.Contracts,
			internalapi.SeenContract{Reference: k.Reference, Owner: k.Owner, Drafts: k.ShowsDrafts(k.As)})
	}
	return page, err
}

// inSight has operations on a contract serve its counterparty as well, which reads it in the owner's name. Of those
// that write, it may only acknowledge. PUT of a contract names one of the caller's own, whatever others call theirs.
func (o *office) inSight(all ...rest.Extension) []rest.Extension {
	for i, e := range all {
		if !strings.Contains(e.Path, "{contract}") || e.Path == contractPath && e.Writes {
			continue
		}
		serve, acknowledges := e.Serve, strings.HasSuffix(e.Path, ":acknowledge")
		all[i].Query = slices.Concat(e.Query, []rest.Parameter{ownerParameter})
		e.Refuses = slices.Concat(e.Refuses, []problem.Kind{problem.Ambiguous})
		all[i].Refuses = e.Refuses
		if e.Writes && !acknowledges {
			all[i].Refuses = slices.Concat(e.Refuses, []problem.Kind{problem.RightMissing})
		}
		all[i].Serve = func(c *gin.Context, body any) (any, error) {
			request := c.Request
			as, foreign, err := o.contracts.InSight(request.Context(), c.Param("contract"),
				c.Query(ownerParameter.Name))
			if err != nil {
				return nil, err
			}
			if foreign && e.Writes && !acknowledges {
				return nil, problem.New(problem.RightMissing, "The counterparty of a contract reads what is reported "+
					"under it, and acknowledges it. Its owner does the rest.").With("right", shared.OwnerRight)
			}
			c.Request = request.WithContext(as)
			defer func() { c.Request = request }()
			shown, err := serve(c, body)
			if err != nil || !foreign || reflect.TypeOf(shown).Kind() == reflect.Func {
				return shown, err
			}
			hidden := reflect.New(reflect.TypeOf(shown))
			hidden.Elem().Set(reflect.ValueOf(shown))
			contract.Hide(as, hidden.Interface())
			return hidden.Elem().Interface(), nil
		}
	}
	return all
}
