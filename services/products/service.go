// Package products is the service for what insurers sell: products, the product catalogue and policy wordings.
package products

import (
	"net/http"
	"reflect"

	"github.com/gin-gonic/gin"

	"insurance.example/exchange/contracts/beyond"
	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/process"
	"insurance.example/exchange/pkg/rest"
)

// Service returns the service.
func Service() rest.Service {
	return rest.Service{
		Name: "products", Summary: "The products of the Insurance Exchange Service",
		Foreign: settings.All(),
		Sets:    func(path string) (rest.Sets, error) { return valuesets.Load(path) },
		Declare: declare,
	}
}

func declare(s *rest.Server, _ process.Deps) (rest.Parts, error) {
	catalog, err := productCatalog(s.Sets)
	if err != nil {
		return rest.Parts{}, err
	}
	rest.AddStatic(s, catalog)
	wordings := rest.Add(s, policyWording())
	rest.Add(s, product(s.Sets, wordings))
	return rest.Parts{}, extendSearch(s)
}

// extendSearch declares the operation that says what can be searched, in any service. It calls none: the table is part
// of the contracts.
func extendSearch(s *rest.Server) error {
	table, err := beyond.Searches()
	s.Extend(rest.Extension{
		Path: rest.ExtensionPrefix + "/search", Method: http.MethodGet, ID: "readSearchTable",
		Summary:  "The resources that can be searched, each with its fields and their parameters",
		Response: reflect.TypeFor[beyond.SearchTable](),
		Serve:    func(*gin.Context, any) (any, error) { return table, nil },
	})
	return err
}
