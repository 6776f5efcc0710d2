package harbor.ships

import harbor.core.AppDispatchers
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.GlobalScope
import kotlinx.coroutines.flow.MutableSharedFlow
import kotlinx.coroutines.flow.asSharedFlow
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext

class ShipRepository(private val api: ShipApi, private val dispatchers: AppDispatchers) {
    private val departed = MutableSharedFlow<Departed>()
    val departures = departed.asSharedFlow()

    suspend fun ships(): List<Ship> = withContext(dispatchers.io) { api.ships() }

    suspend fun ship(id: String): Ship = withContext(Dispatchers.IO) { api.ship(id)!! }

    fun arrived(ship: Ship) {
        GlobalScope.launch { api.arrived(ship.id) }
        EventBus.post(Arrived(ship))
    }

    suspend fun departed(ship: Ship) {
        withContext(dispatchers.io) { api.departed(ship.id) }
        departed.emit(Departed(ship))
    }
}
