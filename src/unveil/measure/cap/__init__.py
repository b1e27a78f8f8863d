"""How often would a guess be right? CAP, TCAP, GCAP, GTCAP and differential confidentiality."""
