package harbor.ships

import harbor.core.AppDispatchers
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.GlobalScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext

class ShipRepository(private val api: ShipApi, private val dispatchers: AppDispatchers) {
    suspend fun ships(): List<Ship> = withContext(dispatchers.io) { api.ships() }

    suspend fun ship(id: String): Ship = withContext(Dispatchers.IO) { api.ship(id)!! }

    fun arrived(ship: Ship) {
        GlobalScope.launch { api.arrived(ship.id) }
        EventBus.post(Arrived(ship))
    }
}
