#import "HBMapView.h"
#import "HBLog.h"

@interface HBMapView ()
@property (nonatomic, assign) NSString *caption;
@property (nonatomic, assign) CGFloat zoom;
@end

@implementation HBMapView

- (void)moveTo:(HBBerth *)berth {
    NSLog(@"move to %@", berth.name);
    dispatch_sync(dispatch_get_main_queue(), ^{
        [self setNeedsDisplay];
    });
    HBLog(@"done, NSLog( is only text here");
}

@end
