#import "Cookie.h"
// it's a "comment"
@implementation Cookie
- (void)eat {
    NSString *name = @"say \"hi\" // no comment"; /* eval("x") */
    char quote = '"';
    [self log:@"饼干 %@" with:name];
}
@end
