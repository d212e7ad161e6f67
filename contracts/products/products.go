// Package products holds the product, the product catalogue and the policy wording.
//
// What insurers sell: products, the catalogue of lines of business, and policy wordings.
package products

import "insurance.example/exchange/contracts/scalar"

// Product is the record of the resource product.
//
// An insurance product. Products are never deleted.
type Product struct {
	scalar.Record
	// The line of business, as its code in the product catalogue, 1 to 65.
	LineOfBusiness *scalar.Int `json:"lineOfBusiness,omitzero"`
	// The model by which the product is sold.
	ProductModel *string `json:"productModel,omitzero" set:"ProductModel"`
	// The type of contract.
	ContractType *string `json:"contractType,omitzero" set:"ContractType"`
	// The currency, as its ISO 4217 alphabetic code.
	Currency *string `json:"currency,omitzero" set:"Currency"`
	// The fee of a policy. The interface does not say whether it is in major or minor units of the currency.
	PolicyFee scalar.Decimal `json:"policyFee,omitzero" amount:""`
	// How often the premium is paid.
	PaymentFrequency *string `json:"paymentFrequency,omitzero" set:"PremiumPaymentFrequency"`
	// The id of the policy wording that the product is sold under.
	Wording scalar.ID `json:"wording,omitzero" refers:"policyWording"`
}

// CatalogEntry is an element of the resource productCatalog.
//
// One of the 65 lines of business of the product catalogue.
type CatalogEntry struct {
	// The code of the line, 1 to 65.
	Code int `json:"code"`
	// The name of the line.
	Description string `json:"description" issued:"ProductCatalog"`
}

// PolicyWording is the record of the resource policyWording.
//
// The text that a product is sold under.
type PolicyWording struct {
	scalar.Record
	// The name of the wording.
	Name *string `json:"name,omitzero"`
	// The version of the wording itself, not one of the interface.
	Version *string `json:"version,omitzero"`
	// The day from which the wording is used.
	EffectiveDate scalar.Date `json:"effectiveDate,omitzero"`
}
