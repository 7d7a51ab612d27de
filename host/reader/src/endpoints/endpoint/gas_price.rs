//! The gas price from one endpoint: by `eth_feeHistory`, or else by `eth_gasPrice`.

use alloy::primitives::U256;
use tokio::time::Instant;

use super::Endpoint;
use crate::chain::gas_price::{FeeHistory, GasPrice, PriceAt};
use crate::endpoints::health::RequestKind;
use crate::wire::error::{EndpointError, RequestError};

impl Endpoint {
    pub(crate) async fn gas_price(&self, at: PriceAt, until: Instant) -> Result<GasPrice, EndpointError> {
        self.ensure_usable(until).await?;
        let params = at.params();
        let request = || self.rpc.request::<FeeHistory>("eth_feeHistory", &params);
        let history = self.send_until_taken(RequestKind::Optional, until, request).await;
        let price = match history.map_err(RequestError::into_endpoint_error) {
            Ok(history) => history.price(at).ok_or(EndpointError::Malformed)?,
            Err(error) if error.rejects_request_kind() && !at.is_past => self.plain_gas_price(until).await?,
            Err(error) => return Err(error),
        };
        if !self.learned.lock().chain.is_fresh() {
            self.check_chain(until).await?;
        }
        self.learned.lock().tip = Some(price.tip);
        Ok(price)
    }

    async fn plain_gas_price(&self, until: Instant) -> Result<GasPrice, EndpointError> {
        let request = || self.rpc.request::<U256>("eth_gasPrice", &[(); 0]);
        let price = self.send_until_taken(RequestKind::Optional, until, request).await;
        let price = price.map_err(RequestError::into_endpoint_error)?;
        let tip = price.try_into().map_err(|_| EndpointError::Malformed)?;
        Ok(GasPrice { base_fee: None, tip })
    }
}
