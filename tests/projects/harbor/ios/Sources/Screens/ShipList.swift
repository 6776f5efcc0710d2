import SwiftUI

struct ShipList: View {
    @State private var ships: [Ship] = []
    let network: NetworkClient

    var body: some View {
        List(ships) { ship in Text(ship.name) }
            .task { await load() }
    }

    private func load() async {
        // 命中缓存时不再请求
        if URLCache.shared.cachedResponse(for: request) != nil { return }
        ships = (try? await network.send(.get("/ships")).decode([Ship].self)) ?? []
    }
}
