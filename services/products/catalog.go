package products

import (
	"reflect"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/products"
	"insurance.example/exchange/contracts/valuesets"
	"insurance.example/exchange/pkg/rest"
)

// productCatalog declares the list of the lines of business. They are the values of the set in their order; codes
// begin at 1.
func productCatalog(sets rest.Sets) (rest.StaticList, error) {
	values := sets.Values(valuesets.ProductCatalog)
	entries := make([]products.CatalogEntry, len(values))
	for i, description := range values {
		entries[i] = products.CatalogEntry{Code: i + 1, Description: description}
	}
	body, err := json.Marshal(entries)
	return rest.StaticList{Name: "productCatalog", Body: body, Of: reflect.TypeFor[products.CatalogEntry]()}, err
}
